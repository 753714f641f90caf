/** A view that is loaded when it is first shown. */
import type { ComponentType, FunctionComponent } from "preact"
import { useEffect, useState } from "preact/hooks"

export const lazy = <P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> => {
  let loaded: ComponentType<P> | undefined
  return (props: P) => {
    const [View, setView] = useState<{ readonly of: ComponentType<P> } | undefined>(loaded === undefined ? undefined : { of: loaded })
    useEffect(() => {
      if (View === undefined) void load().then((view) => setView({ of: loaded = view }))
    }, [])
    return View === undefined ? <p class="empty" role="status">Loading…</p> : <View.of {...props} />
  }
}
