/**
 * The page of `dacapo serve`: sessions to watch, to answer and to go back in. Its frame stands in the HTML and is painted before the
 * code of the page runs.
 */
import { after, nextFrame } from "./client/Frames.ts"

/** As it was opened: the token is in it. */
const { hash } = location
nextFrame(() => after(0, () => import("./start.tsx").then(({ start }) => start(hash))))
