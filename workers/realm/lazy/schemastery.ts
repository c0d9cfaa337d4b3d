// As whoever requires the library itself has it. Inlined, it would bring a namespace of forty getters into
// every context.
module.exports = require('@deepseek-ai/schemastery') as unknown
