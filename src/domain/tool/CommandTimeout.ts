/** How long a command is waited for before someone chooses what becomes of it. */

/** In seconds; `most` bounds what a model may ask for. */
const limits = { usual: 120, long: 600, most: 3600 }

/** Commands that are known to take long: installs, builds, whole test runs. */
const long =
  /\b(?:(?:npm|pnpm|yarn|bun)\s+(?:ci|i|install|add|test|run)|(?:uv|poetry)\s+(?:sync|install)|pip3?\s+install|cargo\s|(?:go|dotnet|swift)\s+(?:build|test)|mvn|gradlew?|bazel|make|cmake|docker\s+(?:compose\s+)?(?:build|pull)|apt(?:-get)?\s+install|pytest|tox)\b/

/** Seconds; `asked` is what the model wants, if it does. */
export const seconds = (command: string, asked?: number): number =>
  Math.min(asked !== undefined && asked > 0 ? asked : long.test(command) ? limits.long : limits.usual, limits.most)
