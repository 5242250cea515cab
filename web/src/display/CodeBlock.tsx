import { Button, Code, CopyButton, Group } from '@mantine/core';
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { saveFile } from './csv';

interface Props {
  label: string;
  text: string;
  /** Offers the text as a file of this name. */
  file?: string;
}

/** A document or command to copy; a long one scrolls in its own box. */
export function CodeBlock({ label, text, file }: Props) {
  return (
    <div>
      <Code
        block
        tabIndex={0}
        role="region"
        aria-label={label}
        mah={320}
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {text}
      </Code>
      <Group gap="xs" mt={6}>
        <CopyButton value={text} timeout={1500}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
              onClick={copy}
              aria-label={`Copy ${label.toLowerCase()}`}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        {file && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => saveFile(file, `${text}\n`, 'application/json')}
            aria-label={`Save ${file}`}
          >
            {file}
          </Button>
        )}
      </Group>
    </div>
  );
}
