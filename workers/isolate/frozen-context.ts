import type IsolatedVm from 'isolated-vm'
import { createIsolate } from './stage-parts.ts'
import { watchParent } from './parent-watch.ts'

/** A context in which everything is frozen, and nothing but our own code has run. */
export interface FrozenContext {
  readonly isolate: IsolatedVm.Isolate
  /** Why it could not be made; nothing else of it is of use then. */
  readonly failure?: string
  /** Sets who hears what the realm sends. */
  listen(heard: (text: string) => void): void
  /** Hands the realm the bundle: the text of a function of what `setting` says stands in its scope. */
  use(bundle: string, setting: string): void
  /** Runs a command and all microtasks it leads to. */
  dispatch(text: string): unknown
}

export interface FrozenContextSpec {
  readonly realm: string
  readonly memoryMb: number
  /** Hex, of 32 random bytes. */
  readonly seed: string
}

/** Makes the one context of an isolate of its own. Never throws. */
export function createFrozenContext(
  ivm: typeof IsolatedVm,
  { realm, memoryMb, seed }: FrozenContextSpec,
): FrozenContext {
  watchParent()
  const isolate = createIsolate(ivm, memoryMb)
  let heard: (text: string) => void = () => undefined
  const listen: FrozenContext['listen'] = (listener) => void (heard = listener)
  try {
    const context = isolate.createContextSync()
    const { global } = context
    global.setSync('__caisson_send', new ivm.Callback((text: string) => heard(text)))
    global.setSync('__caisson_seed', seed)
    isolate.compileScriptSync(realm, { filename: 'tool:realm' }).runSync(context)
    const dispatch = global.getSync('__caisson_dispatch', { reference: true })
    const seal = global.getSync('__caisson_seal', { reference: true })
    seal.applySync(undefined, [])
    return {
      isolate,
      listen,
      use(bundle, setting) {
        const script = isolate.compileScriptSync(bundle, { filename: 'tool:bundle' })
        const scope = script.runSync(context, { reference: true }) as IsolatedVm.Reference
        dispatch.applySync(undefined, [setting, scope.derefInto()])
      },
      dispatch: (text) => dispatch.applySync(undefined, [text]) as unknown,
    }
  } catch (error) {
    const dead = (): never => {
      throw error
    }
    return { isolate, failure: String(error), listen, use: dead, dispatch: dead }
  }
}
