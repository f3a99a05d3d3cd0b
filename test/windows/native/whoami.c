/* Stands for Windows' whoami /user /fo csv /nh, which Wine 8 does not speak. */
#include <stdio.h>
#include <stdlib.h>

/* Each run is a line of the file that this variable names. */
int main(void)
{
    FILE *log = getenv("JIG_STUB_LOG") ? fopen(getenv("JIG_STUB_LOG"), "a") : NULL;
    if (log != NULL) {
        fputs("whoami\n", log);
        fclose(log);
    }
    printf("\"host\\root\",\"S-1-5-21-1-2-3-1000\"\r\n");
    return 0;
}
