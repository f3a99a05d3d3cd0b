const PATTERN =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** Whether a text is a semantic version. */
export function isSemver(text: string): boolean {
  return PATTERN.test(text);
}

/** Negative, zero or positive as `a` is before, equal to or after `b`; build metadata is ignored. Both must be valid. */
export function compareSemver(a: string, b: string): number {
  const [, majorA, minorA, patchA, preA] = PATTERN.exec(a)!;
  const [, majorB, minorB, patchB, preB] = PATTERN.exec(b)!;
  const numbers = [
    compareNumbers(majorA!, majorB!),
    compareNumbers(minorA!, minorB!),
    compareNumbers(patchA!, patchB!),
  ];
  const core = numbers.find((difference) => difference !== 0);
  if (core !== undefined) return core;
  // A version without a pre-release comes after every one with.
  if (preA === undefined || preB === undefined)
    return Number(preA === undefined) - Number(preB === undefined);
  return comparePreReleases(preA.split("."), preB.split("."));
}

function comparePreReleases(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [left, right] = [a[index], b[index]];
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    if (left === right) continue;
    const [numericLeft, numericRight] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (numericLeft && numericRight) return compareNumbers(left, right);
    if (numericLeft !== numericRight) return numericLeft ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}

/** By length first: version numbers may be larger than a double can hold. */
function compareNumbers(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}
