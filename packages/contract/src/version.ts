/** The version in the path prefix of every endpoint (section 9). */
export const API_VERSION = 'v1'

/** The label displayed for the service's status (section 9); its relation to the path version is not stated. */
export const SERVICE_VERSION = 'v1.2.0'
