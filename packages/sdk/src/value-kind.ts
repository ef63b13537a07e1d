/** Name of a value's kind for a message: `null`, `number`, `Buffer`, `File`, `Promise`. Also right for other realms. */
export function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  // Node's Buffer is a Uint8Array by its tag.
  return tag === 'Uint8Array' && value.constructor?.name === 'Buffer' ? 'Buffer' : tag
}

/** Whether a value is a Blob or a File: of the platform, some of which have no tags, or of another, such as jsdom. */
export function isBlob(value: unknown): value is Blob {
  return value instanceof Blob || ['Blob', 'File'].includes(kindOf(value))
}

/** Whether a value is a buffer without a view. */
export function isArrayBuffer(value: unknown): value is ArrayBufferLike {
  return ['ArrayBuffer', 'SharedArrayBuffer'].includes(kindOf(value))
}

/** Whether a value has a method of this name. */
export function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function'
}
