/**
 * Makes a schema in one call, which `@__PURE__` before it lets every bundler drop when nobody uses the schema. Bundlers
 * keep a bare `z.looseObject({ … })`: to them each call in it, spread and `.check()` may have an effect.
 */
export function defineSchema<Schema>(make: () => Schema): Schema {
  return make()
}
