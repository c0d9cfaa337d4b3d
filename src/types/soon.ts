/**
 * A value of ours, or a promise of it. Stages that most calls pass at once answer with this: awaiting
 * what is there already costs each call a turn of the microtasks and the objects for it.
 */
export type Soon<T> = T | Promise<T>
