/** A session in a list to choose from: how long ago it was used, its size, its title. */
import type { Summary } from "../../../services/Storage.ts"
import { plural } from "../view/Quantity.ts"
import * as View from "../view/View.ts"
import { age } from "./Age.ts"

/** `now` in ms since the epoch. */
export const of = ({ events, title, updated }: Summary, now: number): string =>
  `${age(now - updated).padEnd(10)}  ${plural(events, "event").padStart(11)}  ${View.line(title)}`
