import type { TestExpression } from 'unbash'
import type { Context } from './line.ts'
import { createSegment, INERT } from './segment.ts'
import { toShellWord } from './words.ts'

/** Operators that look at a file. */
export const FILE_TESTS: ReadonlySet<string> = new Set(
  'abcdefghkprstuwxGLNOS'.split('').map((letter) => `-${letter}`),
)

/** Judges `[[ … ]]`: operands of file tests are looked at, everything else is text. */
export function judgeTest(expression: TestExpression, context: Context): void {
  const { line } = context
  line.kinds.push('meta')
  line.counter += 1
  const segment = createSegment({
    name: '[[',
    args: [],
    context,
    command: line.counter,
    ...INERT,
  })
  for (const word of fileOperands(expression)) {
    const operand = toShellWord(word, context.scope)
    if (operand.atoms.every((atom) => typeof atom === 'string')) segment.path(operand, 'meta')
  }
  segment.settle('TEXT_ONLY')
}

function fileOperands(expression: TestExpression): readonly Parameters<typeof toShellWord>[0][] {
  switch (expression.type) {
    case 'TestUnary':
      return FILE_TESTS.has(expression.operator) ? [expression.operand] : []
    case 'TestBinary':
      return ['-nt', '-ot', '-ef'].includes(expression.operator)
        ? [expression.left, expression.right]
        : []
    case 'TestLogical':
      return expression.operands.flatMap(fileOperands)
    case 'TestNot':
      return fileOperands(expression.operand)
    case 'TestGroup':
      return fileOperands(expression.expression)
  }
}
