/** A JSON object of the document. */
export type JsonObject = { [name: string]: unknown }
