import * as fc from "fast-check";

// The same inputs on every run, so that a green run stays green; SALLYPORT_SEED=random, or a number, explores others.
const wish = process.env["SALLYPORT_SEED"] ?? "20261130";
if (wish !== "random") fc.configureGlobal({ seed: Number(wish) });
