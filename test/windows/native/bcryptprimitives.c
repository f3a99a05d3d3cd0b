/* Wine 8 lacks this library; Windows 10 has it. Beside jig.exe it is found first. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size); /* RtlGenRandom, of advapi32 */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count)
{
    return SystemFunction036(bytes, (ULONG)count);
}

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved)
{
    return TRUE;
}
