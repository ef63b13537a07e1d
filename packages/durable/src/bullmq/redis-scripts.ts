/** The Lua scripts of the engine, on keys of its own: they do not touch those of BullMQ. Each is atomic. */
export const SCRIPTS = {
  /** Puts the task `ARGV[1]` at the end of the list of ends `KEYS[1]`. `KEYS[2]` is the counter of positions. */
  modelrunPlace: {
    numberOfKeys: 2,
    lua: `return redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), ARGV[1])`,
  },
  /** Adds `ARGV[3]` to the counter `ARGV[1]` once for the part `ARGV[2]`, unless its value would exceed `ARGV[4]`. */
  modelrunReserve: {
    numberOfKeys: 2,
    lua: `
      if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 1 then return 1 end
      local value = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0) + tonumber(ARGV[3])
      if value > tonumber(ARGV[4]) then return 0 end
      redis.call('HSET', KEYS[1], ARGV[1], string.format('%.17g', value))
      redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
      return 1`,
  },
  modelrunRelease: {
    numberOfKeys: 2,
    lua: `
      local amount = redis.call('HGET', KEYS[2], ARGV[2])
      if not amount then return 0 end
      local value = tonumber(redis.call('HGET', KEYS[1], ARGV[1])) - tonumber(amount)
      redis.call('HSET', KEYS[1], ARGV[1], string.format('%.17g', value))
      return redis.call('HDEL', KEYS[2], ARGV[2])`,
  },
} as const

export type ScriptName = keyof typeof SCRIPTS
