import { CATEGORIES, verdictOf } from './reasons.ts'
import type {
  CategoryDirective,
  CategorySettings,
  CategorySwitch,
  SwitchLabel,
} from './assessor-types.ts'
import type { Assessment, Category } from './types.ts'

/** Labels whose ask is locked, and never lifted by anything learned or configured. */
const LOCKING: ReadonlySet<SwitchLabel> = new Set(['delete', 'disk', 'protected', 'privilege'])
const HARD: ReadonlySet<SwitchLabel> = new Set(['delete', 'disk'])
const OPEN_ANYWHERE: ReadonlySet<SwitchLabel> = new Set(['network', 'gitPush', 'publish'])
const STRICTNESS: readonly CategorySwitch[] = ['deny', 'ask', 'auto', 'inherit']

/** Every label that has a switch, highest precedence first. */
export const SWITCH_LABELS: readonly SwitchLabel[] = CATEGORIES.filter(isSwitchLabel)

/** The values that a label's switch accepts. */
export function acceptedSwitches(label: SwitchLabel): readonly CategorySwitch[] {
  if (HARD.has(label)) return ['ask', 'deny']
  return LOCKING.has(label) ? ['inherit', 'ask', 'deny'] : ['auto', 'ask', 'deny', 'inherit']
}

/** What the switches make of an assessment: strictest over the labels of all its reasons. Pure. */
export function categoryDirective(
  assessment: Assessment,
  settings: CategorySettings,
): CategoryDirective {
  const labels = labelsOf(assessment, settings)
  const found = STRICTNESS.find((value) => labels.some((label) => label.value === value))
  const directive = found ?? 'inherit'
  const deciding = labels.filter((label) => label.value === directive)
  const adds = directive !== 'inherit'
  return {
    directive,
    label: adds ? deciding[0]?.label : undefined,
    locked: directive === 'ask' && deciding.some(({ label }) => LOCKING.has(label)),
    lowered: directive === 'auto' && isLowered(assessment, settings),
    recorded: adds && deciding.some((label) => !label.plain),
  }
}

interface LabelValue {
  readonly label: SwitchLabel
  readonly value: CategorySwitch
  /** The default of a workspace; says nothing new. */
  readonly plain: boolean
}

function labelsOf(assessment: Assessment, settings: CategorySettings): readonly LabelValue[] {
  const lifted = assessment.reasons.some((reason) => reason.code === 'ARTIFACT_DELETE')
  const labels = SWITCH_LABELS.filter((label) =>
    assessment.reasons.some((reason) => reason.category === label),
  )
  return labels.map((label) => {
    const value = switchOf(label, settings)
    const plain = settings.positionMode === 'workspace' && settings.labels[label] === undefined
    if (label === 'delete' && lifted && value === 'ask') return { label, value: 'inherit', plain }
    return { label, value, plain }
  })
}

function switchOf(label: SwitchLabel, settings: CategorySettings): CategorySwitch {
  const set = settings.labels[label]
  // A value that slipped past the configuration's check must not loosen anything.
  if (set !== undefined) return acceptedSwitches(label).includes(set) ? set : 'ask'
  if (HARD.has(label)) return 'ask'
  if (settings.positionMode === 'workspace') return 'inherit'
  if (LOCKING.has(label)) return 'ask'
  return OPEN_ANYWHERE.has(label) ? 'auto' : 'inherit'
}

function isLowered(assessment: Assessment, settings: CategorySettings): boolean {
  if (!assessment.eligible) return false
  const asks = assessment.reasons.filter((reason) => verdictOf(reason) !== 'allow')
  return asks.every(
    ({ category }) =>
      category !== null && isSwitchLabel(category) && switchOf(category, settings) === 'auto',
  )
}

function isSwitchLabel(label: Category): label is SwitchLabel {
  return label !== 'internal' && label !== 'unknown'
}
