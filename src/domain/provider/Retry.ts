export const delay = (error: unknown, attempt: number, chance: number): number | undefined => undefined
