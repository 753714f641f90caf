/** The volume discount: 5 percent from 10,000 cents. */
const threshold = 10_000
const share = 0.05

/** The discount on a sum, in cents. */
export function discount(sum) {
	if (sum > threshold) {
		return Math.floor(sum * share)
	}
	return 0
}
