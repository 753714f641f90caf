/**
 * Lets an SDK ask with a fetch that keeps the answer for us. The SDK gets an empty one, and what it makes of that is
 * nothing to us. (Other SDKs give the response itself.)
 */
export const kept = (fetch: typeof globalThis.fetch, ask: (fetch: typeof globalThis.fetch) => Promise<unknown>): Promise<Response> => {
  const answer = Promise.withResolvers<Response>()
  const keeping: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok) return response
    answer.resolve(response)
    return new Response("", { status: response.status, headers: response.headers })
  }
  return Promise.race([answer.promise, ask(keeping).then(() => answer.promise)])
}
