import { createInbox } from 'modelrun/webhooks'

export const inbox = createInbox({ onSucceeded: (event) => console.log(event.output.items.length) })
