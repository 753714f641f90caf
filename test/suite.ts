/** Which suite runs: the quick one (`npm test`), or all of it (`npm run test:all`), with every variant and every repetition. */
export const isComplete = process.env["SUITE"] === "all"

/** The part of a matrix, or the number of repetitions, for the suite that runs. */
export const choose = <A>({ all, quick }: { readonly quick: A; readonly all: A }): A => isComplete ? all : quick
