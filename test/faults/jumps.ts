/** Loaded before a program: its time of day jumps by hours and days, forwards and back, as it is read. */
const jumps = [0, 3_600_000, -3_600_000, 86_400_000, -86_400_000]
const now = Date.now.bind(Date)
let read = 0

Date.now = () => now() + jumps[Math.floor(read++ / 3) % jumps.length]!
