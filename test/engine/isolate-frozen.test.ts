import { describeEngine } from './contract.ts'

describeEngine('isolate', 'frozen')
