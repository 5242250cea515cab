import { Button } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { useState } from 'react';
import type { SavedSearch } from '../../api/bodies';
import type { SearchFilters } from '../../addresses';
import { lazyComponent, lazyOpened } from '../../display/lazy';

const SavedMenu = lazyOpened(() => import('./SavedMenu'), 'SavedMenu', 'menu');
const RemoveSaved = lazyComponent(() => import('./SavedForms'), 'RemoveSaved');
const SavedForm = lazyComponent(() => import('./SavedForms'), 'SavedForm');

interface Props {
  filters: SearchFilters;
  onOpen: (filters: SearchFilters) => void;
}

/** Searches that were kept: open, keep this one, rename, share, remove. */
export function SavedSearches({ filters, onOpen }: Props) {
  const [editing, setEditing] = useState<SavedSearch | 'new' | undefined>();
  const [removing, setRemoving] = useState<SavedSearch | undefined>();
  return (
    <>
      <SavedMenu
        target={
          <Button variant="default" leftSection={<IconBookmark size={16} />}>
            Saved searches
          </Button>
        }
        onOpen={onOpen}
        onEdit={setEditing}
        onRemove={setRemoving}
      />
      {removing && <RemoveSaved saved={removing} onClose={() => setRemoving(undefined)} />}
      {editing && (
        <SavedForm
          saved={editing === 'new' ? undefined : editing}
          filters={filters}
          onClose={() => setEditing(undefined)}
        />
      )}
    </>
  );
}
