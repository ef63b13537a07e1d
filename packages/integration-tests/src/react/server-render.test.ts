import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { ModelForm, useRun } from 'modelrun/react'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'

it('renders an idle run on a server, where there is neither a page nor a key', () => {
  const Status = () => createElement('p', {}, useRun('aurora-image').status)
  expect(renderToString(createElement(Status))).toBe('<p>idle</p>')
})

it('renders the fields of a model that the server has read', async () => {
  const model = await new ModelRun(createReferenceServer().clientOptions()).models.get('aurora-image')
  const form = (given: string | typeof model) =>
    renderToString(createElement(ModelForm, { model: given, onSubmit() {} }))
  expect(form(model)).toMatch(/<label for="(\S+)">prompt<\/label><textarea id="\1" name="prompt" required=""/)
  expect(form('aurora-image')).toBe('')
})
