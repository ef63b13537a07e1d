/** What the guide leaves to the app. */
export function readSession(request) {
  const [, userId] = /session=(\w+)/.exec(request.headers.get('cookie') ?? '') ?? []
  return userId && { userId }
}
