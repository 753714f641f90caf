/** Variables in settings: `${NAME}`, or `${NAME:-else}` for one that may be missing. */

export type Variables = Readonly<Record<string, string | undefined>>

/** The text with its variables replaced; `onUse` is told each name, and its value if it has one. An empty value counts as missing. */
export const expand = (text: string, variables: Variables, onUse: (name: string, value: string | undefined) => void = () => {}): string =>
  text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const value = variables[name] || fallback
    onUse(name, value)
    return value ?? ""
  })
