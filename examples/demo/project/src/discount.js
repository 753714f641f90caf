/** The volume discount: 5 percent from 10,000 cents on. */
const threshold = 10_000
const share = 0.05

/** Cents to take off a sum. */
export function discount(sum) {
	if (sum > threshold) {
		return Math.floor(sum * share)
	}
	return 0
}
