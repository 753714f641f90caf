/** How long to wait for a command before someone decides what happens to it. */

/** In seconds; `maxSeconds` limits what a model may request. */
const limits = { defaultSeconds: 120, longSeconds: 600, maxSeconds: 3600 }

/** Commands that are known to take long: installs, builds, full test runs. */
const longCommand =
  /\b(?:(?:npm|pnpm|yarn|bun)\s+(?:ci|i|install|add|test|run)|(?:uv|poetry)\s+(?:sync|install)|pip3?\s+install|cargo\s|(?:go|dotnet|swift)\s+(?:build|test)|mvn|gradlew?|bazel|make|cmake|docker\s+(?:compose\s+)?(?:build|pull)|apt(?:-get)?\s+install|pytest|tox)\b/

/** Seconds; `requestedSeconds` is what the model requests, if anything. */
export const timeoutSeconds = (command: string, requestedSeconds?: number): number =>
  Math.min(
    requestedSeconds !== undefined && requestedSeconds > 0 ? requestedSeconds
      : longCommand.test(command) ? limits.longSeconds : limits.defaultSeconds,
    limits.maxSeconds
  )
