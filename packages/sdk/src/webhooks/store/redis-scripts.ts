/**
 * The changes of the Redis store, each one script. KEYS[1] is the root of the namespace, and every other key begins with
 * it: one slot of a cluster, and a prefix that the client adds stays in place.
 *
 * - `<root>:record:<key>`: hash of the record.
 * - `<root>:due:work`, `<root>:due:poll`: unfinished records by the time when they are due.
 * - `<root>:finished`: done and dead records by the time when they are forgotten.
 * - `<root>:list:<state>`: records by the time when they were made.
 * - `<root>:ref:<ref>`: the key that a reference is bound to; the only one that expires by itself.
 */
const PRELUDE = `
local root = KEYS[1]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
-- Lua writes large numbers as 1.7e+12.
local function int(number) return string.format('%.0f', number) end
local function at(key) return root .. ':record:' .. key end
local function due_set(state)
  if state == 'done' or state == 'dead' then return root .. ':finished' end
  return root .. (state == 'expected' and ':due:poll' or ':due:work')
end
local function list_set(state) return root .. ':list:' .. state end
local function field(key, name) return redis.call('HGET', at(key), name) end
-- A missing record has no state: false.
local function place(key, from, to, due)
  if from and from ~= to then
    redis.call('ZREM', due_set(from), key)
    redis.call('ZREM', list_set(from), key)
  end
  if to then
    redis.call('HSET', at(key), 'state', to, 'due_at', int(due))
    redis.call('ZADD', due_set(to), int(due), key)
    redis.call('ZADD', list_set(to), field(key, 'created_at'), key)
  else
    redis.call('DEL', at(key))
  end
end
local function create(key)
  redis.call('HSET', at(key), 'key', key, 'fence', 0, 'attempt', 0, 'polls', 0, 'created_at', int(now))
end
local function read(key)
  return redis.call('HMGET', at(key), 'key', 'state', 'owner', 'fence', 'attempt', 'polls', 'created_at', 'due_at',
    'ref', 'context', 'payload', 'fingerprint', 'last_error')
end
-- A record that somebody deleted by hand is left out, and out of the set.
local function read_all(set, keys)
  local records = {}
  for _, key in ipairs(keys) do
    if redis.call('EXISTS', at(key)) == 1 then records[#records + 1] = read(key) else redis.call('ZREM', set, key) end
  end
  return { int(now), records }
end
local function holds(key, owner, fence)
  local lease = redis.call('HMGET', at(key), 'owner', 'fence')
  return lease[1] == owner and lease[2] == fence
end
`

/** ARGV of a next step: state ('' to forget), milliseconds, 1 when the claim was free, 1 with an error, the error. */
const MOVE_ON = `
local function move_on(key, from, first)
  local to, ms, is_free, has_error, error = ARGV[first], ARGV[first + 1], ARGV[first + 2], ARGV[first + 3], ARGV[first + 4]
  if to == '' then return place(key, from, false) end
  redis.call('HDEL', at(key), 'owner')
  if has_error == '1' then redis.call('HSET', at(key), 'last_error', error) end
  if to == 'expected' then
    redis.call('HDEL', at(key), 'payload', 'fingerprint')
    redis.call('HSET', at(key), 'attempt', 0)
  end
  if is_free == '1' and tonumber(field(key, 'attempt')) > 0 then redis.call('HINCRBY', at(key), 'attempt', -1) end
  place(key, from, to, now + ms)
end
`

/** How many finished records one call of `due` forgets at most. */
const FORGET_BATCH = 1_000

const BODIES = {
  // ARGV: key, poll ms, 1 with a ref, ref, 1 with a context, context.
  expect: `
local key = ARGV[1]
local is_new = redis.call('EXISTS', at(key)) == 0
if is_new then create(key) end
if ARGV[3] == '1' then redis.call('HSETNX', at(key), 'ref', ARGV[4]) end
if ARGV[5] == '1' then redis.call('HSETNX', at(key), 'context', ARGV[6]) end
if is_new then place(key, false, 'expected', now + ARGV[2]) end
return 1`,
  // ARGV: ref, key, keep ms. A key cannot live for 0 ms.
  bind: `
local name = root .. ':ref:' .. ARGV[1]
if ARGV[3] ~= '0' then redis.call('SET', name, ARGV[2], 'PX', ARGV[3], 'NX') end
return redis.call('GET', name) or ARGV[2]`,
  // ARGV: key, owner, lease ms, 1 with a payload, fingerprint, payload. Gives: taken, state before, now, record.
  claim: `
local key, has_payload = ARGV[1], ARGV[4] == '1'
local before = redis.call('HMGET', at(key), 'state', 'due_at')
local state = before[1]
local has_stored = redis.call('HEXISTS', at(key), 'payload') == 1
local is_free = (not state and has_payload) or state == 'expected'
  or ((state == 'leased' or state == 'retry') and tonumber(before[2]) <= now)
  or (state == 'dead' and has_payload and not has_stored)
if not is_free then return { 0, state, int(now), read(key) } end
if not state then create(key) end
redis.call('HSET', at(key), 'owner', ARGV[2])
redis.call('HINCRBY', at(key), 'fence', 1)
redis.call('HINCRBY', at(key), 'attempt', 1)
if has_payload and not has_stored then redis.call('HSET', at(key), 'fingerprint', ARGV[5], 'payload', ARGV[6]) end
place(key, state, 'leased', now + ARGV[3])
return { 1, state, int(now), read(key) }`,
  // ARGV: key, owner, fence, lease ms.
  extend: `
local key = ARGV[1]
if field(key, 'state') ~= 'leased' or not holds(key, ARGV[2], ARGV[3]) then return 0 end
place(key, 'leased', 'leased', now + ARGV[4])
return 1`,
  // ARGV: key, owner, fence, keep ms. The owner stays, to know the lease again.
  complete: `
local key = ARGV[1]
local state = field(key, 'state')
if not holds(key, ARGV[2], ARGV[3]) then return 0 end
if state == 'done' then return 1 end
if state ~= 'leased' then return 0 end
redis.call('HDEL', at(key), 'payload')
-- A hash that had a long value stays large without it, unless it is written anew.
local kept = redis.call('HGETALL', at(key))
redis.call('DEL', at(key))
redis.call('HSET', at(key), unpack(kept))
place(key, state, 'done', now + ARGV[4])
return 1`,
  // ARGV: key, owner, fence, next step.
  release: `${MOVE_ON}
local key = ARGV[1]
if field(key, 'state') ~= 'leased' or not holds(key, ARGV[2], ARGV[3]) then return 0 end
move_on(key, 'leased', 4)
return 1`,
  // ARGV: key, polls, next step.
  postpone: `${MOVE_ON}
local key = ARGV[1]
if field(key, 'state') ~= 'expected' or field(key, 'polls') ~= ARGV[2] then return 0 end
redis.call('HINCRBY', at(key), 'polls', 1)
move_on(key, 'expected', 3)
return 1`,
  // ARGV: limit, kind. Gives: now, records.
  due: `
local finished, due = root .. ':finished', root .. ':due:' .. ARGV[2]
for _, key in ipairs(redis.call('ZRANGEBYSCORE', finished, '-inf', int(now), 'LIMIT', 0, ${FORGET_BATCH})) do
  place(key, field(key, 'state'), false)
  redis.call('ZREM', finished, key)
end
return read_all(due, redis.call('ZRANGEBYSCORE', due, '-inf', int(now), 'LIMIT', 0, ARGV[1]))`,
  // ARGV: key. Gives: now, records.
  get: `
return read_all(due_set('done'), { ARGV[1] })`,
  // ARGV: state, limit, last key of the page before, or ''. Gives: now, records.
  list: `
local list, after, first = list_set(ARGV[1]), ARGV[3], 0
local created = after ~= '' and field(after, 'created_at')
if created then
  -- The last record may have left this state: it stands in line for a moment, to find its place.
  local is_guest = redis.call('ZADD', list, 'NX', created, after) == 1
  first = redis.call('ZRANK', list, after) + (is_guest and 0 or 1)
  if is_guest then redis.call('ZREM', list, after) end
end
local limit = tonumber(ARGV[2])
return read_all(list, limit > 0 and redis.call('ZRANGE', list, first, first + limit - 1) or {})`,
  // ARGV: key.
  replay: `
local key = ARGV[1]
if field(key, 'state') ~= 'dead' then return 0 end
redis.call('HSET', at(key), 'attempt', 0, 'polls', 0)
place(key, 'dead', redis.call('HEXISTS', at(key), 'payload') == 1 and 'retry' or 'expected', now)
return 1`,
  // Gives what INFO tells of the memory: CONFIG is not for scripts. Nothing, where INFO is refused too.
  memory: `
local info = redis.pcall('INFO', 'memory')
return type(info) == 'string' and info or ''`,
} as const

export type RedisScript = keyof typeof BODIES

export function redisScript(name: RedisScript): string {
  return PRELUDE + BODIES[name]
}
