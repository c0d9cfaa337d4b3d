import { reasonText } from '../reason-texts.ts'

/** Codes of later steps, and what else a question may say; no assessment gives these. */
const NOTES: Readonly<Record<string, string>> = {
  RULE_DENY: 'a declared rule refuses it',
  LIST_DENY: 'the operator listed this tool as refused',
  CATEGORY_DENY: 'the operator refuses this kind of effect',
  CLASSIFIER_DENY: 'a model judged that it goes against what the user wants',
  REVIEW_DENY: 'a reviewing model refused it',
  HUMAN_DENY: 'it was refused when it was asked about',
  TIMEOUT_DENY: 'nobody answered in time',
  UNATTENDED_DENY: 'nobody is there to answer',
  LOOP_DENY: 'it was the same call over and over',
  AUDIT_UNAVAILABLE: 'the decision could not be recorded',
  TARGET_CHANGED: 'what it would touch changed in the meantime',
  REDACTION_FAILED: 'its result could not be freed of secrets',
  CLASSIFIER_UNAVAILABLE: 'classifier unavailable',
  LOOP_GUARD: 'is the same call over and over',
  PEER_ASK: 'another policy asks about it',
}

/** The text of a reason code, for people and models. Nothing is ever decided by these words. */
export function describeCode(code: string): string {
  return NOTES[code] ?? reasonText(code)
}

/** One line from codes, the lead first; at most four of them are spelled out. */
export function describeCodes(codes: readonly string[]): string {
  const texts = [...new Set(codes)].slice(0, 4).map((code) => `${describeCode(code)} (${code})`)
  return texts.join('; ')
}
