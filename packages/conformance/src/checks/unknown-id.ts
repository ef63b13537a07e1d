/** Names no model and no job. */
export const UNKNOWN_ID = 'conformance-no-such-id'
