/** Sum of the weights in grams. */
export function total(weights) {
  return weights.reduce((sum, weight) => sum + weight, 0);
}
