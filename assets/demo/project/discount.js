/** Price after a discount in percent, in cents. */
export function discounted(cents, percent) {
  return Math.floor(cents * (1 - percent / 100));
}
