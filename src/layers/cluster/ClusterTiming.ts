/**
 * How a session finds its runner, and how soon another one takes over. All runners of a cluster have the same number of shards, so it
 * never changes: a setting could differ between two of them. A runner that is silent for `shardLockExpiration` has lost its shards. It
 * gives them up itself after a third of that, because an answer of the database that comes later may be too late: on a busy machine that
 * takes seconds.
 */
export const timing = {
  shardsPerGroup: 120,
  shardLockExpiration: "15 seconds",
  shardLockRefreshInterval: "5 seconds",
  runnerHealthCheckInterval: "2 seconds",
  refreshAssignmentsInterval: "1 second",
  entityMessagePollInterval: "2 seconds",
  entityTerminationTimeout: "5 seconds",
  maxResidentEntities: "unbounded"
} as const
