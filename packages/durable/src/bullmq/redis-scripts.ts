/** Lua functions that read a task. `KEYS[1]` to `KEYS[3]` are BullMQ's completed, failed and active; `ARGV[1]` is the prefix of the keys of jobs. */
const READ = `
  local active = {}
  for _, id in ipairs(redis.call('LRANGE', KEYS[3], 0, -1)) do active[id] = true end
  local function stateOf(id)
    if redis.call('ZSCORE', KEYS[1], id) then return 'done' end
    if redis.call('ZSCORE', KEYS[2], id) then return 'dead' end
    return active[id] and 'running' or 'waiting'
  end
  local function read(id, seq)
    local job = redis.call('HMGET', ARGV[1] .. id, 'data', 'returnvalue', 'failedReason', 'timestamp', 'finishedOn')
    return job[1] and { id, stateOf(id), tostring(seq or 0), unpack(job) } or nil
  end`

/** The Lua scripts of the engine. Each is atomic. */
export const SCRIPTS = {
  /**
   * Adds a task to the end of the list of its state, unless that list has it: `KEYS` are its job, completed, failed, the lists
   * open, done and dead, and the counter of positions. Returns 1 when the task was removed.
   */
  modelrunPlace: {
    numberOfKeys: 7,
    lua: `
      local id, target = ARGV[1], 4
      if redis.call('EXISTS', KEYS[1]) == 0 then target = 0
      elseif redis.call('ZSCORE', KEYS[2], id) then target = 5
      elseif redis.call('ZSCORE', KEYS[3], id) then target = 6
      elseif redis.call('ZSCORE', KEYS[6], id) then redis.call('HDEL', KEYS[1], 'mr:started', 'mr:losses') end -- it is replayed
      local removed = 0
      for list = 4, 6 do
        if list ~= target then removed = removed + redis.call('ZREM', KEYS[list], id)
        elseif not redis.call('ZSCORE', KEYS[list], id) then
          redis.call('ZADD', KEYS[list], redis.call('INCR', KEYS[7]), id)
        end
      end
      return target == 0 and removed > 0 and 1 or 0`,
  },
  /**
   * Counts the earlier runs of tasks that were just fetched, that were started and never ended, in `mr:losses`. `mr:started` is the
   * fence of such a run. A task that another process has fetched since does not change. `ARGV`: the prefix of the keys of jobs,
   * and each id with its fence. Returns how many processes each task has lost.
   */
  modelrunCountLosses: {
    numberOfKeys: 0,
    lua: `
      local losses = {}
      for index = 2, #ARGV, 2 do
        local job, fence = ARGV[1] .. ARGV[index], ARGV[index + 1]
        if redis.call('HGET', job, 'ats') == fence and redis.call('HDEL', job, 'mr:started') == 1 then
          redis.call('HINCRBY', job, 'mr:losses', 1)
        end
        losses[#losses + 1] = tonumber(redis.call('HGET', job, 'mr:losses') or 0)
      end
      return losses`,
  },
  /**
   * Marks tasks as started whose lock is held. `ARGV`: the prefix of the keys of jobs, and each id with its fence and its token.
   * Returns 1 for each task that is marked, 0 for others.
   */
  modelrunMarkStarted: {
    numberOfKeys: 0,
    lua: `
      local marks = {}
      for index = 2, #ARGV, 3 do
        local job, fence, token = ARGV[1] .. ARGV[index], ARGV[index + 1], ARGV[index + 2]
        local isHeld = redis.call('GET', job .. ':lock') == token and redis.call('HGET', job, 'ats') == fence
        if isHeld then redis.call('HSET', job, 'mr:started', fence) end
        marks[#marks + 1] = isHeld and 1 or 0
      end
      return marks`,
  },
  /**
   * Clears the mark of the task `KEYS[1]` that was started with the fence `ARGV[1]`: its handler has ended. Notes when the task is
   * due again, at `ARGV[2]`.
   */
  modelrunPostpone: {
    numberOfKeys: 1,
    lua: `
      if redis.call('HGET', KEYS[1], 'mr:started') == ARGV[1] then redis.call('HDEL', KEYS[1], 'mr:started') end
      if redis.call('HGET', KEYS[1], 'ats') == ARGV[1] then redis.call('HSET', KEYS[1], 'mr:due', ARGV[2]) end`,
  },
  /**
   * Returns the milliseconds since the oldest due task became due; 0 when none is due. `KEYS`: BullMQ's wait and delayed. `ARGV`: the
   * prefix of the keys of jobs, the time, and by how much BullMQ multiplies it in delayed.
   */
  modelrunOldestDue: {
    numberOfKeys: 2,
    lua: `
      local now = tonumber(ARGV[2])
      local oldest = now
      local waiting = redis.call('LINDEX', KEYS[1], -1)
      if waiting then
        local job = redis.call('HMGET', ARGV[1] .. waiting, 'mr:due', 'timestamp', 'opts')
        local due = tonumber(job[1]) or (tonumber(job[2] or now) + (cjson.decode(job[3] or '{}').delay or 0))
        oldest = math.min(oldest, due)
      end
      local delayed = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
      if delayed[2] then oldest = math.min(oldest, tonumber(delayed[2]) / tonumber(ARGV[3])) end
      return string.format('%d', now - oldest)`,
  },
  /** Returns the task with the id `ARGV[2]`. `KEYS[4]` to `KEYS[6]` are the lists open, done and dead. */
  modelrunGet: {
    numberOfKeys: 6,
    lua: `${READ}
      local id = ARGV[2]
      local seq = redis.call('ZSCORE', KEYS[4], id) or redis.call('ZSCORE', KEYS[5], id) or redis.call('ZSCORE', KEYS[6], id)
      return read(id, seq)`,
  },
  /** Returns up to `ARGV[4]` tasks of the list `KEYS[4]` in the state `ARGV[2]`, after the position `ARGV[3]`. */
  modelrunList: {
    numberOfKeys: 4,
    lua: `${READ}
      local state, after, limit = ARGV[2], ARGV[3], tonumber(ARGV[4])
      local found = {}
      local function take(id, seq)
        if stateOf(id) == state then found[#found + 1] = read(id, seq) end
        return #found < limit
      end
      if state == 'running' then -- reads the few active jobs instead of the many waiting ones
        local running = {}
        for id in pairs(active) do
          local seq = tonumber(redis.call('ZSCORE', KEYS[4], id) or 0)
          if seq > tonumber(after) then running[#running + 1] = { id, seq } end
        end
        table.sort(running, function(one, other) return one[2] < other[2] end)
        for _, entry in ipairs(running) do if not take(entry[1], string.format('%d', entry[2])) then break end end
        return found
      end
      repeat
        local page = redis.call('ZRANGEBYSCORE', KEYS[4], '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, 200)
        for index = 1, #page, 2 do
          after = page[index + 1]
          if not take(page[index], after) then return found end
        end
      until #page == 0
      return found`,
  },
  /**
   * Returns how many tasks may start, as in spacing.ts, the milliseconds until the next start, and of the pause. `KEYS`: the
   * pause and the next start. `ARGV`: wanted, slack, and step, which is 0 without a limit.
   */
  modelrunGrant: {
    numberOfKeys: 2,
    lua: `
      local wanted, slack, step = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      local paused = redis.call('PTTL', KEYS[1])
      if paused > 0 then return { 0, 0, paused } end
      if step == 0 then return { wanted, 0, 0 } end
      local time = redis.call('TIME')
      local now = time[1] * 1000 + time[2] / 1000
      local nextStart = tonumber(redis.call('GET', KEYS[2]) or 0)
      local from = math.max(now, nextStart)
      local starts = math.min(wanted, math.max(0, math.ceil((now + slack - from) / step)))
      nextStart = from + starts * step
      if starts > 0 then redis.call('SET', KEYS[2], string.format('%.3f', nextStart)) end
      local wait = nextStart - slack < now and 0 or math.ceil(nextStart - slack - now) + 1
      return { starts, wait, 0 }`,
  },
  /** Pauses for `ARGV[1]` milliseconds, unless a longer pause is active. */
  modelrunPause: {
    numberOfKeys: 1,
    lua: `if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], 1, 'PX', ARGV[1]) end`,
  },
  /** Adds `ARGV[2]` to the field `ARGV[1]`, unless its value would exceed `ARGV[3]`; '' for no limit. */
  modelrunTally: {
    numberOfKeys: 1,
    lua: `
      local amount = tonumber(ARGV[2])
      local value = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0) + amount
      if amount > 0 and ARGV[3] ~= '' and value > tonumber(ARGV[3]) then return false end
      local text = string.format('%.17g', value)
      if amount ~= 0 then redis.call('HSET', KEYS[1], ARGV[1], text) end
      return text`,
  },
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
