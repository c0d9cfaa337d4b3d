import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseThreshold } from '../../src/load/thresholds.ts'
import { caisson } from '../cli/caisson.ts'
import { load } from '../load/load-rig.ts'

const page = readFileSync(new URL('../../docs/bench.md', import.meta.url), 'utf8')

function section(title: string): string {
  const [, text = ''] = new RegExp(`^## ${title}$([^]*?)(?=^## |$(?![^]))`, 'm').exec(page) ?? []
  return text
}

describe('docs/bench.md', () => {
  test('names the options that the command has, and no others', async () => {
    const { stdout } = await caisson(['bench', '--help'])
    const known = new Set([...stdout.matchAll(/^ +(?:-h, )?(--[a-z-]+)/gm)].map(([, name]) => name))
    known.delete('--help')
    const named = new Set([...page.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([name]) => name))
    named.delete('--tolerance') // Of `bench compare`.
    expect([...named.values()].toSorted()).toEqual([...known.values()].map(String).toSorted())
  })

  test('names every key of the object that is printed', async () => {
    const { report } = await load({ one: () => 1 }, { requests: 3 })
    const rows = section('The object of `--json`').matchAll(/^\| `(\w+)` +\|(.*)\|$/gm)
    const named = new Map([...rows].map(([, key = '', text = '']) => [key, text]))
    expect([...named.keys()].toSorted()).toEqual(Object.keys(report).toSorted())
    for (const key of ['load', 'calls', 'engine', 'environment'] as const) {
      for (const inner of Object.keys(report[key])) expect(named.get(key)).toContain(inner)
    }
    for (const inner of Object.keys(report.latency.response)) {
      expect(named.get('latency')).toContain(inner)
    }
  })

  test('shows thresholds that are understood', () => {
    const shown = [...section('Thresholds').matchAll(/`([^`]*[<>][^`]*)`/g)]
    expect(shown.length).toBeGreaterThan(10)
    for (const [, text = ''] of shown) expect(parseThreshold(text).expression).toBe(text)
  })
})
