/**
 * `performance.now()` as it was before tool code ran: a tool must not be able to replace the clock that ends a
 * look.
 */
export const now: () => number = performance.now.bind(performance)
