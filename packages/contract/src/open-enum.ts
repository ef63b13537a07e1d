/**
 * A value of an enumeration that the service may extend: the known values, or any other string.
 *
 * Editors still complete the known values. Code that switches over one needs a default branch.
 */
export type OpenEnum<Known extends string> = Known | (string & {})
