/**
 * True when an error is an instance of the same class in another copy of this package. Classes with the same name are the
 * same. A class that a user derives without a `name` of its own is different from all others.
 *
 * @param ours Prototype of the class in this copy
 * @param brand The symbol by which every copy marks its errors, in the base class
 */
export function isOfOtherCopy(error: unknown, ours: Error, brand: symbol): boolean {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false
  // The base class has no name of its own. Every marked error is an instance of it.
  if (!Object.hasOwn(ours, 'name')) return Object.hasOwn(ours, brand)
  for (let theirs = Object.getPrototypeOf(error); theirs !== null; theirs = Object.getPrototypeOf(theirs)) {
    if (Object.hasOwn(theirs, 'name') && theirs.name === ours.name) return true
  }
  return false
}
