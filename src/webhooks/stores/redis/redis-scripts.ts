// Each move is one script, so that Redis does it in one step. A record is a hash: owner, digest, lease_end in
// milliseconds by the clock of Redis, and done_at once the event is done. Redis 5 or later: before it, a script that
// asks for the time could not write.

const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;
const MILLISECONDS = (expression: string): string => `string.format('%.0f', ${expression})`;
const OURS = `local held = redis.call('HMGET', KEYS[1], 'owner', 'done_at')
if held[1] ~= ARGV[1] or held[2] then return 0 end
`;

/** Values: owner, digest, lease, retention. */
export const CLAIM = `${NOW}
local held = redis.call('HMGET', KEYS[1], 'digest', 'lease_end', 'done_at')
if held[3] then return {'done', held[1]} end
if held[1] and tonumber(held[2]) > now then return {'running', held[1]} end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'digest', ARGV[2], 'lease_end', ${MILLISECONDS('now + ARGV[3]')})
redis.call('PEXPIRE', KEYS[1], ARGV[4])
if held[1] then return {'taken_over', held[1]} end
return {'claimed', ''}`;

/** Values: owner, lease. */
export const RENEW = `${OURS}${NOW}
redis.call('HSET', KEYS[1], 'lease_end', ${MILLISECONDS('now + ARGV[2]')})
return 1`;

/** Values: owner, retention. Gives 1 also when this claim has completed it before. */
export const COMPLETE = `local held = redis.call('HMGET', KEYS[1], 'owner', 'done_at')
if held[1] ~= ARGV[1] then return 0 end
if held[2] then return 1 end
${NOW}
redis.call('HSET', KEYS[1], 'done_at', ${MILLISECONDS('now')})
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

/** Values: owner. */
export const RELEASE = `${OURS}
return redis.call('DEL', KEYS[1])`;
