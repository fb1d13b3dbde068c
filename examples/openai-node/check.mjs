import OpenAI from 'openai'
import * as helpers from 'openai/helpers/zod'
import { z } from 'zod'
import { checkOpenai } from './client-checks.mjs'

checkOpenai({ OpenAI, helpers, z })
