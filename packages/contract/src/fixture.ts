/** An example body with the place in the specification that it belongs to. */
export interface Fixture<Body> {
  /** Section of the specification, such as `4.3`. */
  readonly section: string
  /** Set where the specification is silent: the assumption that the fixture makes. The real service may respond differently. */
  readonly assumption?: string | undefined
  /** The JSON body. Shared by all importers: take a `structuredClone` before changing it. */
  readonly body: Body
}

/** An example response of the service. */
export interface ResponseFixture<Body> extends Fixture<Body> {
  /** HTTP status that the body comes with. */
  readonly httpStatus: number
}

/** Types a fixture by the interface of its body, so that a new example value does not change the type. */
export function fixture<Body>(entry: Fixture<Body>): Fixture<Body> {
  return entry
}

/** The same for a response. */
export function response<Body>(entry: ResponseFixture<Body>): ResponseFixture<Body> {
  return entry
}
