import { KEY_PREFIXES, type Permission } from '../../src/auth.ts'
import { componentSchemas } from './component-schemas.ts'
import { errorComponents } from './error-responses.ts'
import type { JsonObject } from './json-object.ts'
import { paths } from './paths.ts'

/** The contract as an OpenAPI 3.1 document; `openapi.json` is this as text. */
export function openApiDocument(): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Model inference service',
      version: 'v1.2.0',
      summary: 'Lists AI models, runs them, and gives the results of their jobs.',
      description:
        'Made from the schemas of `@modelrun/contract`. Sections are those of the interface specification. Where it is ' +
        'silent, the text says "not shown" or "not stated": the service may respond otherwise there. Requests and ' +
        'responses may have more fields, and enumerations more values: the `examples` of a string are its known values. ' +
        'The version is the label of section 9; how it relates to the path prefix `/v1` is not stated, and no ' +
        'compatibility policy is shown.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{base_url}',
        // Not at the variable: a widely used validator knows no description there.
        description: 'URL of the service. The default is where the reference server listens.',
        variables: { base_url: { default: 'http://127.0.0.1:4010' } },
      },
    ],
    tags: [
      { name: 'Models', description: 'List, read and run models (sections 4.1 to 4.3).' },
      { name: 'Jobs', description: 'Read and cancel jobs (sections 4.4 and 4.5).' },
      { name: 'Webhooks', description: 'Deliveries that the service makes (section 6).' },
    ],
    paths: paths(),
    components: {
      securitySchemes: { apiKey: securityScheme() },
      responses: errorComponents(),
      schemas: componentSchemas(),
    },
  }
}

/** In the words of section 5. */
const PERMISSION_MEANINGS: Readonly<Record<Permission, string>> = {
  'models:read': 'List and view model information',
  'models:run': 'Execute model inference',
  'jobs:read': 'View job status and results',
  'jobs:write': 'Create and cancel jobs',
  'webhooks:manage': 'Create and manage webhooks',
}

function securityScheme(): JsonObject {
  const permissions = Object.entries(PERMISSION_MEANINGS).map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  return {
    type: 'http',
    scheme: 'bearer',
    description: [
      `An API key: \`${KEY_PREFIXES.live}…\` for production, \`${KEY_PREFIXES.test}…\` for development (section 5).`,
      'It may be limited to some IP addresses, where supported. To rotate it, create a new key and revoke the old one.',
      `Its permissions, which the roles of an operation name:\n\n${permissions.join('\n')}`,
    ].join(' '),
  }
}
