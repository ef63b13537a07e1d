import { startReceiver } from '../webhook-receiver.ts'
import { testRecipe } from './test-recipe.ts'

testRecipe({ name: 'node:http', start: (inbox) => startReceiver(inbox.node()) })

testRecipe({
  name: 'node:http with another route',
  start: (inbox) => {
    const receive = inbox.node()
    return startReceiver((request, response) => {
      if (request.url?.startsWith('/webhooks')) void receive(request, response)
      else response.writeHead(404).end()
    })
  },
})
