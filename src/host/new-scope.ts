import { createHub, type OrderSource } from '../registry/hub.ts'
import { createLayer } from '../registry/layer.ts'
import { createCodeView } from '../registry/presentation.ts'
import { createGuardList, type Scope } from '../registry/scope.ts'

/** An empty scope below `parent`; that of the host itself has none, and no agent. */
export function newScope(
  order: OrderSource,
  agentId: string | undefined,
  parent: Scope | undefined,
): Scope {
  return {
    ...(agentId === undefined ? {} : { agentId }),
    ...(parent === undefined ? {} : { parent }),
    layer: createLayer(parent === undefined ? 'the host' : 'this agent'),
    hub: createHub(order),
    guards: createGuardList(),
    code: createCodeView(),
  }
}
