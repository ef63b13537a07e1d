/**
 * Whether an error is of a class of ours as another copy of this package has it. Classes are the same when their names
 * are; a class that a user derives without a `name` of its own is like no other.
 *
 * @param ours prototype of our class
 * @param brand what every copy marks its errors with, in the root of its classes
 */
export function isOfOtherCopy(error: unknown, ours: Error, brand: symbol): boolean {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false
  // The root has no name of its own: all that is marked is of it.
  if (!Object.hasOwn(ours, 'name')) return Object.hasOwn(ours, brand)
  for (let theirs = Object.getPrototypeOf(error); theirs !== null; theirs = Object.getPrototypeOf(theirs)) {
    if (Object.hasOwn(theirs, 'name') && theirs.name === ours.name) return true
  }
  return false
}
