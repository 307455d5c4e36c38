// clock_timestamp(), not now(): a statement that waited for a row must see the time after the wait.
const LEASE_END = "clock_timestamp() + $LEASE::double precision * interval '1 millisecond'";

/** The statements over one table; `retention` in milliseconds, null = for ever. */
export function postgresStatements(table: string, retention: number | null) {
  const held = 'WHERE event_key = $1 AND owner = $2';
  const ours = `${held} AND done_at IS NULL`;
  const leaseEnd = (parameter: string): string => LEASE_END.replace('$LEASE', parameter);
  return {
    table,
    schema: `CREATE TABLE IF NOT EXISTS ${table} (
  event_key text PRIMARY KEY,
  owner text NOT NULL,
  digest text NOT NULL,
  previous_digest text, -- of the claim that was taken over
  lease_end timestamptz NOT NULL,
  done_at timestamptz -- NULL while it runs
)`,
    // Values: key, owner, digest, lease. Gives a row only to the one who holds the key now.
    claim: `INSERT INTO ${table} AS held (event_key, owner, digest, lease_end)
VALUES ($1, $2, $3, ${leaseEnd('$4')})
ON CONFLICT (event_key) DO UPDATE
SET owner = excluded.owner, previous_digest = held.digest, digest = excluded.digest, lease_end = ${leaseEnd('$4')}
WHERE held.done_at IS NULL AND held.lease_end <= clock_timestamp()
RETURNING previous_digest AS digest`,
    // Values: key.
    read: `SELECT digest, done_at IS NOT NULL AS done FROM ${table} WHERE event_key = $1`,
    // Values: key, owner, lease.
    renew: `UPDATE ${table} SET lease_end = ${leaseEnd('$3')} ${ours} RETURNING event_key`,
    // Values: key, owner. In the transaction of the writes: a second one under the same claim must touch no row.
    completeOnce: `UPDATE ${table} SET done_at = clock_timestamp() ${ours} RETURNING event_key`,
    // Values: key, owner. Touches the row also when this claim has completed it before.
    complete: `UPDATE ${table} SET done_at = coalesce(done_at, clock_timestamp()) ${held} RETURNING event_key`,
    // Values: key, owner.
    isDone: `SELECT event_key FROM ${table} ${held} AND done_at IS NOT NULL`,
    // Values: key, owner.
    release: `DELETE FROM ${table} ${ours}`,
    // A claim whose lease ended that long ago is as good as none.
    cleanUp:
      retention === null
        ? null
        : `DELETE FROM ${table} WHERE coalesce(done_at, lease_end) < clock_timestamp() - interval '${retention} milliseconds'`,
  };
}
