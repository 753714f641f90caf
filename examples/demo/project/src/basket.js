import { discount } from "./discount.js"

/** The cost of one item: price times quantity, in cents. */
const cost = ({ price, quantity }) => price * quantity

/** The total of a basket in cents, including tax (in percent). */
export function total(lines, tax) {
	const sum = lines.reduce((all, line) => all + cost(line), 0)
	const taxed = sum * (1 + tax / 100)
	return Math.round(taxed - discount(taxed))
}
