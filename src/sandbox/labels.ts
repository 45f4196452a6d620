/** Labels by which a Sallyport finds its own containers again. */
export const label = {
  owner: "dev.sallyport.owner",
  instance: "dev.sallyport.instance",
  session: "dev.sallyport.session",
} as const;
