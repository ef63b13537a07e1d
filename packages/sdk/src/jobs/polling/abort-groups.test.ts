import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createAbortGroups } from './abort-groups.ts'

function setup() {
  const controller = new AbortController()
  const ended: string[] = []
  const groups = createAbortGroups<string>((members) => ended.push(...members))
  return { controller, signal: controller.signal, ended, groups }
}

test('has one listener for all members of a signal, and none when the last one is gone', () => {
  const { signal, groups } = setup()
  for (const member of ['a', 'b', 'c']) groups.add(signal, member)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  for (const member of ['a', 'b', 'c']) groups.remove(signal, member)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('ends the members of the signal that aborted, in their order, and nobody else', () => {
  const { controller, signal, groups, ended } = setup()
  const other = new AbortController()
  groups.add(signal, 'a')
  groups.add(other.signal, 'other')
  groups.add(signal, 'b')
  groups.add(signal, 'gone')
  groups.remove(signal, 'gone')
  controller.abort()
  expect(ended).toEqual(['a', 'b'])
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('ends who came after the last one of a signal had gone', () => {
  const { controller, signal, groups, ended } = setup()
  groups.add(signal, 'gone')
  groups.remove(signal, 'gone')
  groups.add(signal, 'later')
  controller.abort()
  expect(ended).toEqual(['later'])
})
