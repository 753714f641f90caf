/** What a session is doing, for every front end. */
import type { Session } from "./SessionState.ts"

/** The status that every front end shows, derived from the state: the first that applies. */
export const phase = ({ calls, model, task, wait }: Session): Phase =>
  task.state !== "running" ? (task.state === "failed" || task.state === "finished" ? task.state : "idle")
    : calls.some(({ state }) => state === "asked") ? "waiting for approval"
    : calls.some(({ state }) => state === "running") ? "running tools"
    : model === "requested" ? "streaming"
    : model === "awaited" && wait !== undefined ? "waiting for the provider"
    : "idle"
export type Phase = "idle" | "streaming" | "waiting for the provider" | "waiting for approval" | "running tools" | "finished" | "failed"
