import { expect, it } from 'vitest'
import { priceOf } from './read-model.ts'

it.each([-4, null, '4', Number.NaN, undefined])(
  'rejects the price %j: it would be no limit of what is paid',
  (price) => {
    const model = { id: 'm', pricing: { credits_per_run: price } } as never
    expect(() => priceOf(model)).toThrow('The price of m is not a number of credits. Nothing was sent.')
  },
)
