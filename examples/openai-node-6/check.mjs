/** The checks of the current version, run on the one before it. */
import OpenAI from 'openai'
import * as helpers from 'openai/helpers/zod'
import { z } from 'zod'
import { checkOpenai } from '../openai-node/client-checks.mjs'

checkOpenai({ OpenAI, helpers, z })
