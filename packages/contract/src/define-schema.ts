/**
 * Makes a schema in one call. With `@__PURE__` before it, every bundler drops an unused schema. Bundlers do not drop a bare
 * `z.looseObject({ … })`, because each call in it, each spread and `.check()` may have a side effect.
 */
export function defineSchema<Schema>(make: () => Schema): Schema {
  return make()
}
